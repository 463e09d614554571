package bench

import "github.com/spf13/cobra"

func agreeCommand(Streams) *cobra.Command { return &cobra.Command{Use: "agree"} }
